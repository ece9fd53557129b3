/** Options that several commands share, and the converters of their values. */
@NullMarked
package io.retroscope.cli.option;

import org.jspecify.annotations.NullMarked;
