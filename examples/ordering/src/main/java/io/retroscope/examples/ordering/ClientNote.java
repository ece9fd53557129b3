// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.Unanswered.Done;

/**
 * A line of a client's own notes. Immutable.
 *
 * @param id the request's
 * @param percent of a request that is sent, how many pass the sequencer; -1 of one that is done
 * @param position of a request that is done, its position
 * @param digest of a request that is done, that of the log up to it
 * @param micros of a request that is done, since it was sent
 */
record ClientNote(String id, int percent, int position, String digest, long micros) {
  static ClientNote sent(String id, int percent) {
    return new ClientNote(id, percent, 0, "-", 0);
  }

  static ClientNote done(Done done) {
    return new ClientNote(
        done.id(), -1, done.outcome().position(), done.outcome().digest(), done.nanos() / 1_000);
  }

  boolean isDone() {
    return percent < 0;
  }

  String line() {
    return "%s %d %d %s %d".formatted(id, percent, position, digest, micros);
  }

  static ClientNote parse(String line) {
    String[] parts = line.split(" ", -1);
    return new ClientNote(
        parts[0],
        Integer.parseInt(parts[1]),
        Integer.parseInt(parts[2]),
        parts[3],
        Long.parseLong(parts[4]));
  }
}
