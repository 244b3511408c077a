// A source of the outer project, which must be compiled as that project says and not as kinema is.
static_assert(__cplusplus == 201703L, "the outer project's standard is C++17");
#ifndef OF_THE_OUTER_PROJECT
#error "the outer project's own definition is gone"
#endif
#ifdef KINEMA_VERSION
#error "a definition of kinema reached the outer project"
#endif
int outer() { return 17; }
