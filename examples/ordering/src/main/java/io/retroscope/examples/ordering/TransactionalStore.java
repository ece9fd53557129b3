// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A key-value store that executes transactions and takes them back. Not thread-safe. */
final class TransactionalStore {
  private final Map<String, String> values = new HashMap<>();

  /** What each transaction that may be taken back has overwritten, the latest first. */
  private final Deque<Map<String, Optional<String>>> overwritten = new ArrayDeque<>();

  /** Executes a transaction, which writes the request's id; returns the values that it reads. */
  List<String> execute(Request request) {
    List<String> read = new ArrayList<>();
    request.transaction().reads().forEach(key -> read.add(values.getOrDefault(key, "")));
    Map<String, Optional<String>> before = new HashMap<>();
    for (String key : request.transaction().writes()) {
      before.put(key, Optional.ofNullable(values.put(key, request.id())));
    }
    overwritten.push(before);
    return read;
  }

  /** Takes back the last transaction. */
  void rollBack() {
    overwritten
        .pop()
        .forEach((key, before) -> values.compute(key, (k, now) -> before.orElse(null)));
  }

  /** Keeps only the last {@code count} transactions ready to be taken back. */
  void settleAllBut(int count) {
    while (overwritten.size() > count) {
      overwritten.removeLast();
    }
  }

  /** The content, in the order of the keys. */
  Map<String, String> content() {
    return new TreeMap<>(values);
  }
}
