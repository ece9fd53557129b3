// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import java.util.BitSet;

/**
 * A predicate about a run, and the runs in which it holds.
 *
 * @param key in the vocabulary
 * @param bound of a measure; otherwise 0
 * @param runs by their numbers; not changed after the trait is made
 * @param position the mean place in its runs at which it first holds, from 0 to 1
 */
record Trait(long key, double bound, BitSet runs, double position) {
  TraitKind kind() {
    return TraitVocabulary.kind(key);
  }
}
