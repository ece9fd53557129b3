// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.io.Serializable;
import java.util.List;

/**
 * A transaction of the key-value store. Immutable.
 *
 * @param reads the keys to be read
 * @param writes the keys to be written
 */
record Transaction(List<String> reads, List<String> writes) implements Serializable {
  Transaction {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }
}
