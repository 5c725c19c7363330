// The page of `thrace view`. Its files are the parts of this function, in the order of cmd/view/local.mk: what one
// defines, the later ones use. docs/view.md says what is where.
(() => {
"use strict";
