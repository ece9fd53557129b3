// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.cluster.PartView.Facts;

/** A reading that was opened, and what its partition has. */
record Opened(String id, Facts facts) {}
