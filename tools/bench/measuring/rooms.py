"""Which room of the house a symbol of a profile belongs to. The first pattern that is found in its name decides.

Names are all there is: add_avx of the solver's kernels counts as learning, like add_avx of the pairs' moments."""

import re

ROOMS = (
    ("solving", r"PairwiseSolver|KrylovSpace|PairSnapshot|SpectralSolver|TargetMoments|Eigen::|ModelSolver|"
                r"L1Ridge|L1Quadratic|::dot(_\w+)?\b|::product_|noise_level"),
    ("numbers", r"read_numbers?\b|short_decimal|ShortDecimal|fast_float|from_chars"),
    ("fields", r"mark_fields|locate_fields|mark_tokens|read_names|find_numbers|Reader::|SparseLine|PlanCursor|Repeats|"
               r"NdjsonGrammar|ndjson|split_csv|AttributeNames"),
    ("finding lines", r"RecordFramer|RecordCursor|memr?chr|detect_format"),
    ("reading", r"FileInput|StreamConnection|StreamServer|RecordBuffer|BufferPool|BlockQueue|MappedWindow|asio|InputSource|"
                r"Fingerprint|XXH|memmove|memcpy"),
    ("replies", r"ReplyWriter|fmt::|Clip|predict"),
    ("planning", r"introsort|insertion_sort|::plan|[Pp]lan(Ahead|Builder)|Sampling|AliasTable|LevelTable|SumTree|"
                 r"[Dd]istinct|Random|draw"),
    ("adding pairs", r"\brow_(avx|any|sse)|\bgroup_(avx|any|sse)|PairWork|PairBatch|add_visit"),
    ("learning", r"PairMoments|Pairwise|add_avx|add_portable|prefetch|Learner|LazyWeights|Gradient|Residual|PastModels|"
                 r"AttributeSums|SecondMoments|Progressive|Weights|StepSize|ScreenedPairwise|AttributeScreen|PhaseControl|"
                 r"LabelRange|StreamProcessor|Trainer|Spending|_pow_|_exp_|_log_|fma@plt"),
    ("starting, ending", r"_dl_|do_lookup|malloc|_int_|free$|munmap|exit"),
)
KERNEL = (("kernel: copying", r"copy|iov_iter|splice"),
          ("kernel: page faults", r"fault|clear_page|folio|pte|mmu|tlb|zap|memcg|anon|filemap|map_pages|page"),
          ("kernel: waiting, waking", r"futex|schedule|wake|switch|idle|poll|spin|eventfd"),
          ("kernel: sockets, pipes", r"tcp|sock|skb|net|pipe|unix|ip_|loopback"))
NAMES = [name for name, _ in (*ROOMS, *KERNEL)] + ["kernel: rest", "rest"]

_COMPILED = [(name, re.compile(pattern)) for name, pattern in ROOMS]
_KERNEL = [(name, re.compile(pattern)) for name, pattern in KERNEL]


def room_of(symbol, in_kernel):
    if in_kernel:
        return next((name for name, pattern in _KERNEL if pattern.search(symbol)), "kernel: rest")
    return next((name for name, pattern in _COMPILED if pattern.search(symbol)), "rest")
