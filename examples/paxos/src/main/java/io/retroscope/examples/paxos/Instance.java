// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * A command of EPaxos with its place among those that it conflicts with. Immutable.
 *
 * @param id of the replica that leads it, and a number
 * @param key commands of one key conflict
 * @param order decides among commands that depend on each other
 * @param after the ids of the commands after which it is executed, or with which
 */
record Instance(String id, String command, String key, int order, Set<String> after) {
  Instance {
    after = Set.copyOf(after);
  }

  /** This instance after further ones. */
  Instance with(int newOrder, Collection<String> more) {
    Set<String> all = new TreeSet<>(after);
    all.addAll(more);
    all.remove(id);
    return new Instance(id, command, key, Math.max(order, newOrder), all);
  }

  Message message(String kind) {
    return Message.of(kind, id, command, key, order, Message.join(new TreeSet<>(after)));
  }

  static Instance of(Message message) {
    return new Instance(
        message.word(0),
        message.word(1),
        message.word(2),
        message.number(3),
        Set.copyOf(message.names(4)));
  }
}
