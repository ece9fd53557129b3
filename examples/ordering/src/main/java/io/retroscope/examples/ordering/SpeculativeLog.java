// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The log of a replica. Each entry has been executed, and the entries after the committed ones may
 * be rolled back. Positions count from 1; position 0 is the empty log. Not thread-safe.
 */
final class SpeculativeLog {
  /** An hour of a demonstration is a third of it. */
  static final int MAX_LENGTH = 1_000_000;

  private static final int DIGEST_BYTES = 6;

  private final TransactionalStore store = new TransactionalStore();
  private final List<Entry> entries = new ArrayList<>();
  private final Map<String, Integer> positions = new HashMap<>();
  private int committed;

  /** A request, what its execution read, and the digest of the log up to it. */
  private record Entry(Request request, List<String> read, String digest) {}

  int length() {
    return entries.size();
  }

  int committed() {
    return committed;
  }

  /** The digest of the whole log. */
  String digest() {
    return digestAt(length());
  }

  /** The digest of the first entries. Equal digests mean equal entries in the same order. */
  String digestAt(int position) {
    return position == 0 ? "" : entries.get(position - 1).digest;
  }

  /** The position of a request, 0 if the log does not have it. */
  int positionOf(String id) {
    return positions.getOrDefault(id, 0);
  }

  Request requestAt(int position) {
    return entries.get(position - 1).request;
  }

  List<String> readAt(int position) {
    return entries.get(position - 1).read;
  }

  /** Executes a request that is not in the log, and appends it. */
  void append(Request request) {
    if (entries.size() == MAX_LENGTH) {
      throw new IllegalStateException("the log is full: " + MAX_LENGTH + " entries");
    }
    String chained = chain(digest(), request.id());
    entries.add(new Entry(request, store.execute(request), chained));
    positions.put(request.id(), entries.size());
  }

  /** The digest of a log with one more request. */
  static String chain(String digest, String id) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest((digest + " " + id).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** Commits the first entries, or leaves the log as it is if more are committed. */
  void commit(int position) {
    committed = Math.max(committed, position);
    store.settleAllBut(length() - committed);
  }

  /**
   * Rolls back the entries after a position.
   *
   * @throws AssertionError if one of them is committed
   */
  void rollBackTo(int position) {
    if (position < committed) {
      throw new AssertionError(
          "cannot roll back to " + position + ": committed up to " + committed);
    }
    while (length() > position) {
      store.rollBack();
      positions.remove(entries.remove(length() - 1).request.id());
    }
  }

  /** The requests after a position. */
  List<Request> after(int position) {
    return entries.subList(position, length()).stream().map(Entry::request).toList();
  }

  /** The content of the store. */
  Map<String, String> content() {
    return store.content();
  }
}
