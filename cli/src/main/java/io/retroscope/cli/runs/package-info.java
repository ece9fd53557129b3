/** Rules over many runs of one system, such as the tests of a night. */
@NullMarked
package io.retroscope.cli.runs;

import org.jspecify.annotations.NullMarked;
