/** Fault tests of service, broker and log server together, which must not lose events. */
@NullMarked
package io.retroscope.cli.faults;

import org.jspecify.annotations.NullMarked;
