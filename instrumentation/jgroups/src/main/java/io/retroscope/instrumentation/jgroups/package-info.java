/** The clock in the messages of a JGroups cluster. */
@NullMarked
package io.retroscope.instrumentation.jgroups;

import org.jspecify.annotations.NullMarked;
