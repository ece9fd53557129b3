/** The simulations, their options and their tables. */
@NullMarked
package io.retroscope.cli.experiment;

import org.jspecify.annotations.NullMarked;
