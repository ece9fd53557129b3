/**
 * A JUnit extension that records the nodes of a test's cluster and checks rules over their global
 * state. Start at {@link io.retroscope.junit.Rules}.
 */
@NullMarked
package io.retroscope.junit;

import org.jspecify.annotations.NullMarked;
