#pragma once

#include "base/file.h"
#include "base/result.h"
#include "lab/polynomials/polynomial_study.h"

namespace glimpse {

/// ABHLT14's Table 1, and what N learners cost: lin, apple, bigram and bigram with apple over N = 1, 2, 4 and
/// 8 shards of covtype, or of the binary sets that the study names. Writes "ablht-table-1.csv" and
/// "ablht-table-1.md" into the study's folder. Errors: kNotFound where no set is found; those of files.
Status run_parallel_table(FileSystem& files, const PolynomialStudy& study);

}  // namespace glimpse
