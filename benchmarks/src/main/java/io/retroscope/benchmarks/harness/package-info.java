// SPDX-License-Identifier: Apache-2.0
/** What the measurements have in common: arguments, folders that are deleted, CPU time, medians. */
@NullMarked
package io.retroscope.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
