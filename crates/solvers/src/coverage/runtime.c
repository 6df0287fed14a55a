/* Tells Auspex which edges of a solver a query reaches: link it with a solver that clang compiled with
 * -fsanitize-coverage=trace-pc-guard,pc-table. Linux only. Licence: MIT or Apache-2.0, as you like.
 *
 * Auspex creates a file in the solver's scratch folder and names it in AUSPEX_COVERAGE. The solver maps it:
 *
 *   0     "AUSPEXC1"
 *   8     how many edges there are, 64 bits in the machine's order
 *   4096  one byte for each edge: 1 once it is reached
 *
 * Auspex reads the bytes after a reply and sets them to 0. Without the variable nothing is recorded.
 * With AUSPEX_COVERAGE_TABLE the places of all edges are appended to that file, one module after another:
 * `module PATH`, then for each edge its address in hexadecimal, with `+` if it is the entry of a function. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEADER 4096u
#define MOST (32u << 20)

#if defined(__clang__)
#define PLAIN __attribute__((no_sanitize("coverage")))
#else
#define PLAIN
#endif

static unsigned char *map;
static uint32_t edges;
static int file = -1;

/* Maps the file; the address never changes, though more modules may come. */
PLAIN static int attach(void) {
  const char *path = getenv("AUSPEX_COVERAGE");
  if (map) return 1;
  if (!path) return 0;
  file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  if (ftruncate(file, HEADER) != 0) return 0;
  void *place = mmap(NULL, HEADER + MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (place == MAP_FAILED) return 0;
  map = place;
  return 1;
}

PLAIN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (start == stop || *start) return;
  if (!attach()) return;
  uint32_t first = edges;
  for (uint32_t *guard = start; guard < stop && edges < MOST; guard++) *guard = ++edges;
  if (ftruncate(file, HEADER + (off_t)edges) != 0) {
    for (uint32_t *guard = start; guard < stop; guard++) *guard = 0;
    edges = first;
    return;
  }
  uint64_t count = edges;
  memcpy(map + 8, &count, sizeof count);
  memcpy(map, "AUSPEXC1", 8);
}

PLAIN void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  uint32_t edge = *guard;
  if (edge) {
    unsigned char *place = map + HEADER + (edge - 1);
    /* Threads share the page; a byte that is set need not be written again. */
    if (!*place) *place = 1;
  }
}

struct module {
  uintptr_t place, base;
  char name[4096];
};

PLAIN static int holds(struct dl_phdr_info *info, size_t size, void *data) {
  struct module *found = data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || found->place < from || found->place >= from + part->p_memsz) continue;
    found->base = info->dlpi_addr;
    if (info->dlpi_name && info->dlpi_name[0]) snprintf(found->name, sizeof found->name, "%s", info->dlpi_name);
    return 1;
  }
  return 0;
}

/* The table of a module, in the order of its guards. */
PLAIN void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end) {
  const char *path = getenv("AUSPEX_COVERAGE_TABLE");
  struct module found = {0};
  if (!path || begin == end) return;
  found.place = begin[0];
  ssize_t length = readlink("/proc/self/exe", found.name, sizeof found.name - 1);
  if (length < 0) length = 0;
  found.name[length] = 0;
  dl_iterate_phdr(holds, &found);
  FILE *out = fopen(path, "a");
  if (!out) return;
  fprintf(out, "module %s\n", found.name);
  for (const uintptr_t *row = begin; row + 1 < end; row += 2)
    fprintf(out, "%llx%s\n", (unsigned long long)(row[0] - found.base), row[1] & 1 ? "+" : "");
  fclose(out);
}
