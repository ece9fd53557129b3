// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;

/** The nodes that a cut includes. */
public sealed interface NodeScope {
  /** The nodes that are listed; empty if the scope lists none. */
  List<Identifier> nodes();

  /** Whether a silent node leaves the scope. */
  boolean isLive();

  /** Calls the visitor's method for this scope. */
  <R> R accept(Visitor<R> visitor);

  /** An operation on the scopes, with one method for each. */
  interface Visitor<R> {
    R all(All all);

    R live(Live live);

    R listed(Listed listed);
  }

  /** All nodes. */
  record All() implements NodeScope {
    @Override
    public List<Identifier> nodes() {
      return List.of();
    }

    @Override
    public boolean isLive() {
      return false;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.all(this);
    }
  }

  /** The nodes with an event or a heartbeat within the idle timeout. */
  record Live(SourceRange range) implements NodeScope, Node {
    @Override
    public List<Identifier> nodes() {
      return List.of();
    }

    @Override
    public boolean isLive() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.live(this);
    }
  }

  /** The listed nodes. */
  record Listed(List<Identifier> nodes, SourceRange range) implements NodeScope, Node {
    /** Copies the nodes. */
    public Listed {
      nodes = List.copyOf(nodes);
    }

    @Override
    public boolean isLive() {
      return false;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.listed(this);
    }
  }
}
