// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The billing: reads at the standby whatever order the shop passes to it. */
public final class BillingNode {
  /** Created when the billing is connected. */
  static final String READY_FILE = "ready";

  /** Has a line for each {@link Reading}. */
  static final String READINGS_FILE = "readings";

  private final EventLog log;
  private final Stamps stamps;
  private final PreparedStatement read;
  private final PreparedStatement position;
  private long reads;

  private BillingNode(EventLog log, Stamps stamps, Connection standby) throws SQLException {
    this.log = log;
    this.stamps = stamps;
    this.read = standby.prepareStatement("SELECT number, stamp FROM orders");
    this.position =
        standby.prepareStatement("SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint");
  }

  /**
   * Runs the billing until its process is ended.
   *
   * @param args the port of the standby, and its own
   */
  public static void main(String[] args) throws Exception {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new Stamps(recorder));
  }

  /** Runs the billing with other stamps. */
  static void run(String[] args, Recorder recorder, Stamps stamps) throws Exception {
    try (recorder;
        Connection standby = PostgresServer.connect(Integer.parseInt(args[0]));
        ServerSocket listener =
            new ServerSocket(Integer.parseInt(args[1]), 1, InetAddress.getLoopbackAddress())) {
      BillingNode billing = new BillingNode(recorder.log("orders"), stamps, standby);
      billing.log.event().set("number", 0).set("reads", 0).record();
      Files.createFile(Path.of(READY_FILE));
      try (Socket shop = listener.accept()) {
        shop.setTcpNoDelay(true);
        billing.serve(shop);
      }
    }
  }

  private void serve(Socket shop) throws SQLException, IOException {
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(shop.getInputStream(), StandardCharsets.UTF_8));
    for (String request = requests.readLine(); request != null; request = requests.readLine()) {
      String[] parts = request.split(" ", -1);
      stamps.received(parts[0] + " " + parts[1]);
      read(Long.parseLong(parts[2]), Long.parseLong(parts[3]));
      shop.getOutputStream().write((stamps.sent() + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private void read(long promised, long committedUpTo) throws SQLException, IOException {
    long replayedUpTo = replayedUpTo();
    try (ResultSet row = read.executeQuery()) {
      row.next();
      long number = row.getLong(1);
      stamps.received(row.getString(2));
      log.event().set("number", number).set("reads", ++reads).record();
      note(new Reading(promised, number, committedUpTo, replayedUpTo));
    }
  }

  /** The standby's position before the read, in bytes of the primary's log. */
  private long replayedUpTo() throws SQLException {
    try (ResultSet row = position.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void note(Reading reading) throws IOException {
    Files.writeString(
        Path.of(READINGS_FILE),
        reading.text() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}
