/** Traits of runs: predicates that hold in some of many runs, and what they say about failures. */
@NullMarked
package io.retroscope.cli.trait;

import org.jspecify.annotations.NullMarked;
