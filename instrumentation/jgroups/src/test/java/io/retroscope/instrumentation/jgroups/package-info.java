/** Tests of the protocol on messages that are written and read like those of a transport. */
@NullMarked
package io.retroscope.instrumentation.jgroups;

import org.jspecify.annotations.NullMarked;
