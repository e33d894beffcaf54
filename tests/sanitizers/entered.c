// Which functions were entered on which threads, for threads.py: linked into a program all of whose functions call
// __cyg_profile_func_enter (-finstrument-functions-after-inlining). Each process keeps a table in a file of the folder
// $GLIMPSE_ENTERED, mapped, so that it outlives kill -9.

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kThreads = 64 };  // later ones count as the last
enum { kFunctions = 1 << 16 };

extern const char __executable_start;

struct Entry {
  _Atomic uint64_t function;  // its distance from the start of the program
  _Atomic uint64_t threads;   // a bit for each
};

struct Table {
  _Atomic uint64_t first_functions[kThreads];  // where each thread began: what it is for
  struct Entry entries[kFunctions];
};

static struct Table* table;
static _Atomic uint64_t threads_so_far;
static _Thread_local uint64_t thread_and_one;  // 0: not counted yet

__attribute__((constructor(101))) static void make_table(void) {
  const char* folder = getenv("GLIMPSE_ENTERED");
  if (folder == NULL) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.entered", folder, (int)getpid());
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(struct Table)) != 0) abort();
  void* memory = mmap(NULL, sizeof(struct Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) abort();
  table = memory;
}

void __cyg_profile_func_enter(void* function, void* caller) {
  (void)caller;
  if (table == NULL) return;
  const uint64_t offset = (uintptr_t)function - (uintptr_t)&__executable_start;
  if (thread_and_one == 0) {
    const uint64_t next = atomic_fetch_add(&threads_so_far, 1);
    thread_and_one = (next < kThreads ? next : kThreads - 1) + 1;
    table->first_functions[thread_and_one - 1] = offset;
  }
  const uint64_t bit = (uint64_t)1 << (thread_and_one - 1);
  for (uint64_t at = offset * 0x9E3779B97F4A7C15U >> 48;; at = (at + 1) % kFunctions) {
    struct Entry* entry = &table->entries[at];
    uint64_t held = atomic_load_explicit(&entry->function, memory_order_relaxed);
    if (held == 0 && atomic_compare_exchange_strong(&entry->function, &held, offset)) held = offset;
    if (held != offset) continue;
    if ((atomic_load_explicit(&entry->threads, memory_order_relaxed) & bit) == 0) atomic_fetch_or(&entry->threads, bit);
    return;
  }
}

void __cyg_profile_func_exit(void* function, void* caller) {
  (void)function;
  (void)caller;
}
