/** Propagation of the clock in JMS messages. */
@NullMarked
package io.retroscope.instrumentation.jms;

import org.jspecify.annotations.NullMarked;
