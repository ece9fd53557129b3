/** Policies that move objects to the regions that use them, on simulated accesses. */
@NullMarked
package io.retroscope.examples.simulate.migration;

import org.jspecify.annotations.NullMarked;
