/* Chooses a planted bug (see schemata.py): AUSPEX_MUTANT is its number. With AUSPEX_MUTANT_MAP, the path of a file, nothing is
 * wrong, and each bug that would have made a difference is marked there by a byte. Licence: MIT or Apache-2.0, as you like. */
#ifndef AUSPEX_SCHEMATA
#define AUSPEX_SCHEMATA
#include <vector>
extern "C" int auspex_mutant;
extern "C" unsigned char *auspex_marks;

static inline bool auspex_is(int id, bool differs) {
  if (__builtin_expect(auspex_marks != nullptr, 0) && differs) auspex_marks[id] = 1;
  return __builtin_expect(auspex_mutant == id, 0);
}
static inline bool auspex_on(int id) { return auspex_is(id, true); }
static inline bool auspex_not(int id, bool value) { return auspex_is(id, true) ? !value : value; }
static inline bool auspex_true(int id, bool value) { return auspex_is(id, !value) || value; }
static inline bool auspex_false(int id, bool value) { return !auspex_is(id, value) && value; }
static inline bool auspex_compare(int id, bool value, bool other) { return auspex_is(id, value != other) ? other : value; }
template <class N> static inline std::vector<N> auspex_swap(int id, const N &a, const N &b) {
  return auspex_is(id, !(a == b)) ? std::vector<N>{b, a} : std::vector<N>{a, b};
}
#endif
