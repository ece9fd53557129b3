/** Runs the quickstart against a real log server. */
@NullMarked
package io.retroscope.examples.quickstart;

import org.jspecify.annotations.NullMarked;
