// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.EventLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a Paxos replica that promises, accepts, learns and executes. Each change is recorded
 * before it is answered. Used by the thread of its lane.
 */
final class Acceptor {
  private static final int MAX_FETCHED = 100;
  private static final long FETCH_NANOS = 500_000_000;

  private final Lane lane;
  private final EventLog log;
  private final TreeMap<Integer, Entry> accepted = new TreeMap<>();
  private final Map<String, Integer> slots = new HashMap<>();
  private final Chain chain = new Chain("paxos");
  private long promised;
  private long fetchedNanos = System.nanoTime() - FETCH_NANOS;

  /** The last slot that is known to be chosen, and who said so. */
  private int known;

  private String knownBy = "";

  /** An accepted value. */
  record Entry(long ballot, String value) {}

  Acceptor(Lane lane) {
    this.lane = lane;
    this.log = lane.recorder().log("paxos");
    record(0);
  }

  long promised() {
    return promised;
  }

  /** The number of executed slots, which are known to be chosen. */
  int executed() {
    return chain.length();
  }

  List<String> commands() {
    return chain.commands();
  }

  /** The slot of an executed command, or null. */
  @Nullable Integer slotOf(String command) {
    return slots.get(command);
  }

  /** The accepted entries from a slot on. */
  Map<Integer, Entry> acceptedFrom(int slot) {
    return accepted.tailMap(slot);
  }

  /** Promises to accept nothing of earlier ballots; false if a later one was promised. */
  boolean promise(long ballot) {
    promised = Math.max(promised, ballot);
    return ballot == promised;
  }

  /** Accepts a value; false if a later ballot was promised. */
  boolean accept(long ballot, int slot, String value) {
    if (!promise(ballot)) {
      return false;
    }
    if (slot > chain.length()) {
      accepted.put(slot, new Entry(ballot, value));
    }
    record(slot);
    return true;
  }

  /**
   * Executes what the leader of a ballot knows to be chosen. An entry of an earlier ballot may be
   * another value, which is requested from the leader.
   */
  void learn(long ballot, int upTo, String leader) {
    int before = chain.length();
    Entry next = accepted.get(before + 1);
    while (chain.length() < upTo && next != null && next.ballot() == ballot) {
      execute(next.value());
      next = accepted.get(chain.length() + 1);
    }
    if (chain.length() > before) {
      record(0);
    }
    known = Math.max(known, upTo);
    knownBy = leader;
    fetchMissing();
  }

  /**
   * Requests values that are known to be chosen: again and again, because the last answer may not
   * have been all of them, and nothing more need be said of these slots.
   */
  void fetchMissing() {
    if (chain.length() < known && System.nanoTime() - fetchedNanos >= FETCH_NANOS) {
      fetchedNanos = System.nanoTime();
      lane.send(knownBy, Message.of("fetch", chain.length() + 1));
    }
  }

  /** Executes the value of a slot that is known to be chosen, if it is the next. */
  void chosen(int slot, String value) {
    if (slot == chain.length() + 1) {
      accepted.put(slot, new Entry(promised, value));
      execute(value);
      record(slot);
    }
  }

  /** Sends chosen values to a replica that has not accepted them. */
  void sendChosen(String to, int from) {
    List<String> commands = chain.commands();
    for (int slot = from; slot <= Math.min(commands.size(), from + MAX_FETCHED); slot++) {
      lane.send(to, Message.of("chosen", slot, commands.get(slot - 1)));
    }
  }

  private void execute(String command) {
    chain.add(command);
    slots.putIfAbsent(command, chain.length());
  }

  /** All in one event: apart, each change would look like a difference. */
  private void record(int slot) {
    log.event()
        .set("accepted", Math.max(slot, accepted.isEmpty() ? 0 : accepted.lastKey()))
        .set("committed", chain.length())
        .set("place", chain.place())
        .set("head", chain.head())
        .record();
  }

  /** The entries from a slot on as words: slot, ballot and value. */
  List<String> words(int from) {
    List<String> words = new ArrayList<>();
    acceptedFrom(from)
        .forEach((slot, entry) -> words.add(slot + ":" + entry.ballot() + ":" + entry.value()));
    return words;
  }
}
