/** Tests of the quickstart with a real log server. */
@NullMarked
package io.retroscope.examples.quickstart;

import org.jspecify.annotations.NullMarked;
