// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import java.util.Optional;

/**
 * A zone map as stored.
 *
 * @param writes empty if an older program stored it
 */
record StoredZone(BlockZone zone, Optional<ZoneWrites> writes) {}
