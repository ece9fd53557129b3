/** Turns what senders send into submissions to the store. */
@NullMarked
package io.retroscope.server.ingest;

import org.jspecify.annotations.NullMarked;
