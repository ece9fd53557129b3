/** What the whole of service, broker and log server goes through without losing anything. */
@NullMarked
package io.retroscope.cli.faults;

import org.jspecify.annotations.NullMarked;
