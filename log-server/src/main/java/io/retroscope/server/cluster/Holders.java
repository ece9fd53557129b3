// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The servers that have a partition. Thread-safe. */
interface Holders {
  /** Their addresses as far as known, the owner's first; that of this server is empty. */
  List<Optional<URI>> of(int partition);
}
