// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.event.Value;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.statement.NodeRegister.ClosedRun;
import java.util.List;
import java.util.Optional;

/** The statement FORGET NODE, for a node that will not return. */
public final class ForgetStatement {
  private final String text;
  private final Statement.Forget statement;
  private final EventSource.View view;
  private final Optional<NodeRegister> nodes;

  /**
   * Creates the execution of a statement.
   *
   * @param view in which the node is looked up
   * @param nodes those that can be forgotten; empty over a file
   */
  public ForgetStatement(
      String text,
      Statement.Forget statement,
      EventSource.View view,
      Optional<NodeRegister> nodes) {
    this.text = text;
    this.statement = statement;
    this.view = view;
    this.nodes = nodes;
  }

  /**
   * Forgets the node.
   *
   * @throws RqlException if there is no such node, or it cannot be forgotten
   */
  public void run(RowSink sink) {
    String node = statement.node().text();
    if (nodes.isEmpty()) {
      throw refused("only a log server can forget nodes", "send the statement to one");
    }
    if (view.nodes().stream().map(NodeDescription::name).noneMatch(node::equals)) {
      throw new RqlException(
          text,
          List.of(
              ErrorCode.UNKNOWN_NODE
                  .at(statement.node().range(), node)
                  .withHelp("SHOW NODES lists the nodes")));
    }
    List<ClosedRun> closed;
    try {
      closed = nodes.get().forget(node);
    } catch (NodeRefusedException e) {
      throw refused(String.valueOf(e.getMessage()), e.advice());
    }
    CatalogStatements.Table table =
        new CatalogStatements.Table(sink, "node", "incarnation", "last");
    for (ClosedRun run : closed) {
      table.row(Value.of(node), Value.of(run.incarnation()), new TimestampValue(run.hlc()));
    }
  }

  private RqlException refused(String reason, String advice) {
    return new RqlException(
        text,
        List.of(ErrorCode.NOT_FORGOTTEN.at(statement.node().range(), reason).withHelp(advice)));
  }
}
