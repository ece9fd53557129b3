/** The simulations, their options and their tables. */
@NullMarked
package io.retroscope.examples.simulate;

import org.jspecify.annotations.NullMarked;
