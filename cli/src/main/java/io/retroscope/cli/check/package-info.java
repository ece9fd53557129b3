/** The verdicts on rules as text, JSON, and the XML of JUnit. */
@NullMarked
package io.retroscope.cli.check;

import org.jspecify.annotations.NullMarked;
