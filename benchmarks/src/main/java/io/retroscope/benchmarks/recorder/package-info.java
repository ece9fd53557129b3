/** What recording costs the thread that records, and how much is sustained. */
@NullMarked
package io.retroscope.benchmarks.recorder;

import org.jspecify.annotations.NullMarked;
