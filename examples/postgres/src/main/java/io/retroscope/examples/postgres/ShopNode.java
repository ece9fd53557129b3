// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The shop: stores one order after the other at the primary, and passes each to the billing. */
public final class ShopNode {
  /** The shop works while this file is in its working directory. */
  static final String WORK_FILE = "work";

  /** Created when the shop is connected. */
  static final String READY_FILE = "ready";

  /** Created whenever the shop has no order in progress. */
  static final String IDLE_FILE = "idle";

  private static final int PAUSE_MILLIS = 40;

  private final EventLog log;
  private final Stamps stamps;
  private final PreparedStatement store;
  private final PreparedStatement position;
  private final Socket billing;
  private final BufferedReader answers;
  private long number;

  private ShopNode(EventLog log, Stamps stamps, Connection primary, Socket billing)
      throws SQLException, IOException {
    this.log = log;
    this.stamps = stamps;
    this.store = primary.prepareStatement("UPDATE orders SET number = ?, stamp = ?");
    this.position =
        primary.prepareStatement(
            "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    this.billing = billing;
    this.answers =
        new BufferedReader(new InputStreamReader(billing.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Runs the shop until its process is ended.
   *
   * @param args the ports of the primary and of the billing
   */
  public static void main(String[] args) throws Exception {
    try (Recorder recorder = Recorder.fromEnvironment();
        Connection primary = PostgresServer.connect(Integer.parseInt(args[0]));
        Socket billing = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]))) {
      billing.setTcpNoDelay(true);
      ShopNode shop = new ShopNode(recorder.log("orders"), new Stamps(recorder), primary, billing);
      shop.log.set("number", 0);
      Files.createFile(Path.of(READY_FILE));
      while (true) {
        if (Files.exists(Path.of(WORK_FILE))) {
          Files.deleteIfExists(Path.of(IDLE_FILE));
          shop.takeOrder();
        } else if (!Files.exists(Path.of(IDLE_FILE))) {
          Files.createFile(Path.of(IDLE_FILE));
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private void takeOrder() throws SQLException, IOException {
    store.setLong(1, ++number);
    store.setString(2, stamps.sent());
    store.executeUpdate(); // returns when the primary has acknowledged it
    log.set("number", number);
    bill(number, committedUpTo());
  }

  /** The primary's position after the commit, in bytes of its log. */
  private long committedUpTo() throws SQLException {
    try (ResultSet row = position.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Waits until the billing has read, so that no later order is stored meanwhile. */
  private void bill(long order, long committedUpTo) throws IOException {
    String request = stamps.sent() + " " + order + " " + committedUpTo + "\n";
    billing.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the billing has ended");
    }
    stamps.received(answer);
  }
}
