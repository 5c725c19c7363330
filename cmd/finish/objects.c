#include "config.h"

#include "cmd/finish/objects.h"

#include <stdlib.h>

void rec_objects_free(struct rec_objects *objects)
{
    for (size_t i = 0; i < objects->nnames; i++)
        free(objects->names[i].function);
    free(objects->names);
    free(objects->v);
}
