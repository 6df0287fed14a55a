/* The part of schemata.h that is linked once. Licence: MIT or Apache-2.0, as you like. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int auspex_mutant;
unsigned char *auspex_marks;

__attribute__((constructor(101))) static void choose(void) {
  const char *number = getenv("AUSPEX_MUTANT"), *path = getenv("AUSPEX_MUTANT_MAP");
  if (number) auspex_mutant = atoi(number);
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, 4096) != 0) return;
  void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place != MAP_FAILED) auspex_marks = place;
}
