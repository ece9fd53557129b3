// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.net.URI;
import java.util.List;

/** The servers that have a partition. Thread-safe. */
interface Holders {
  /** Their addresses as far as known, the owner's first, without this server's own. */
  List<URI> of(int partition);
}
