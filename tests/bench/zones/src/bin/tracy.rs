//! tracy [OPERATIONS]: zones of Tracy, by its C API. No server is connected, so it keeps them in memory.
use tracy_client_sys::{___tracy_emit_zone_begin, ___tracy_emit_zone_end, ___tracy_source_location_data};

struct Place(___tracy_source_location_data);
unsafe impl Sync for Place {} // its strings are literals

static PLACE: Place = Place(___tracy_source_location_data {
    name: b"region\0".as_ptr().cast(),
    function: b"main\0".as_ptr().cast(),
    file: b"tracy.rs\0".as_ptr().cast(),
    line: 1,
    color: 0,
});

fn main() {
    zones::measure("tracy", zones::operations(), || unsafe {
        ___tracy_emit_zone_end(___tracy_emit_zone_begin(&PLACE.0, 1));
    });
}
