// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.presence;

/**
 * A node that is silent at a cut: it has recorded nothing, not even a heartbeat, for longer than
 * its limit, and may have crashed. One that has stopped is silent, too, but has no values.
 *
 * @param sinceHlc packed, its last sighting
 */
public record SilentNode(String node, long sinceHlc) {}
