// SPDX-License-Identifier: Apache-2.0
/** What the measurements have in common: folders that are deleted, CPU time, and medians. */
@NullMarked
package io.retroscope.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
