// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import java.util.Optional;

/**
 * A zone map as stored.
 *
 * @param writes empty if an older program stored it
 */
public record StoredZone(BlockZone zone, Optional<ZoneWrites> writes) {}
