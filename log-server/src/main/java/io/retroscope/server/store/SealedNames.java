// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.StoreNames;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.StoreDamageException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.StoreSchema.NameId;
import java.util.ArrayList;
import java.util.List;

/**
 * The names of nodes and variables to which the sealed blocks of a store refer, and the number of
 * them that are stored. Thread-safe, except that only the writing thread stores names.
 */
final class SealedNames {
  private final StoreNames names;
  private int storedNodes;
  private int storedVariables;
  private int addedNodes;
  private int addedVariables;

  private SealedNames(StoreNames names) {
    this.names = names;
    storedNodes = names.nodes().size();
    storedVariables = names.variables().size();
  }

  /**
   * Reads the stored names.
   *
   * @throws StoreDamageException if one is missing
   */
  static SealedNames read(Database database) {
    List<String> nodes = new ArrayList<>();
    List<String> variables = new ArrayList<>();
    database.forEach(
        StoreSchema.NAMES,
        (key, name) -> {
          List<String> of = key.kind() == NameId.NODE ? nodes : variables;
          if (key.id() != of.size()) {
            throw new StoreDamageException(
                "the store is damaged: the name %d of sealed blocks is missing"
                    .formatted(of.size()));
          }
          of.add(name);
        });
    return new SealedNames(new StoreNames(NameTable.of(nodes), NameTable.of(variables)));
  }

  /** The tables with which blocks are sealed and opened. */
  StoreNames tables() {
    return names;
  }

  NameTable nodes() {
    return names.nodes();
  }

  /** Adds all names that are not stored yet to the change in which a block first needs them. */
  void putInto(Changes changes) {
    addedNodes = put(changes, NameId.NODE, names.nodes(), storedNodes);
    addedVariables = put(changes, NameId.VARIABLE, names.variables(), storedVariables);
  }

  private static int put(Changes changes, int kind, NameTable table, int from) {
    List<String> all = table.names();
    for (int id = from; id < all.size(); id++) {
      changes.put(StoreSchema.NAMES, new NameId(kind, id), all.get(id));
    }
    return all.size();
  }

  /** Notes that the last change with names was written. */
  void written() {
    storedNodes = addedNodes;
    storedVariables = addedVariables;
  }
}
