// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import java.util.Optional;

/**
 * An event that led to a witness.
 *
 * @param leadsTo the receipt of the message, if this is its send
 */
record Cause(Event event, Optional<Event> leadsTo) {}
