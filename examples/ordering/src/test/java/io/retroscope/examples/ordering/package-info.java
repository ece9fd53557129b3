/** Runs of the case and of the protocol: with and without orders, and with a broken hook. */
@NullMarked
package io.retroscope.examples.ordering;

import org.jspecify.annotations.NullMarked;
