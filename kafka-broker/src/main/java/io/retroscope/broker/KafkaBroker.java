// SPDX-License-Identifier: Apache-2.0
package io.retroscope.broker;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * A real Kafka broker in this process, which is its own controller, on loopback ports. Closing
 * stops it; its data remains in its folder for the next broker there. Thread-safe.
 */
public final class KafkaBroker implements AutoCloseable {
  private static final int FIRST_PORT = 15_000;
  private static final int PORT_COUNT = 16_000;
  private static final long PORTS_PER_PROCESS = 97;

  /** Each takes a millisecond or more. */
  private static final int MAX_LISTS = 10_000;

  private static final int MAX_TRIED_PORTS = 1_000;
  private static final AtomicLong triedPorts = new AtomicLong();

  private final KafkaRaftServer server;
  private final String address;
  private final String innerAddress;

  private KafkaBroker(KafkaRaftServer server, int clientPort, int innerPort) {
    this.server = server;
    this.address = "127.0.0.1:" + clientPort;
    this.innerAddress = "127.0.0.1:" + innerPort;
  }

  /** Starts a broker with the defaults. */
  public static KafkaBroker start(Path folder) throws Exception {
    return in(folder).start();
  }

  /** A broker that keeps its data in the folder. */
  public static Builder in(Path folder) {
    return new Builder(folder);
  }

  /** The settings of a broker. */
  public static final class Builder {
    private final Path folder;
    private final Map<String, String> users = new TreeMap<>();
    private final Map<String, String> settings = new TreeMap<>();
    private int port;
    private String protocol = "PLAINTEXT";

    private Builder(Path folder) {
      this.folder = folder;
    }

    /** The port for clients, 0 for any free one. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Sets one of the broker's own settings. */
    public Builder setting(String name, String value) {
      settings.put(name, value);
      return this;
    }

    /**
     * Requires users to authenticate with a password by SASL/PLAIN; {@link KafkaBroker#allow}
     * grants their permissions.
     */
    public Builder user(String name, String password) {
      users.put(name, password);
      return this;
    }

    /**
     * Enables TLS for clients.
     *
     * @param keyStore a PKCS12 file with the broker's key
     */
    public Builder tls(Path keyStore, String password) {
      protocol = "SSL";
      settings.put("listener.name.client.ssl.keystore.type", "PKCS12");
      settings.put("listener.name.client.ssl.keystore.location", keyStore.toString());
      settings.put("listener.name.client.ssl.keystore.password", password);
      return this;
    }

    /** Starts the broker; returns when clients may connect. */
    public KafkaBroker start() throws Exception {
      int clientPort = port == 0 ? freePort() : port;
      int innerPort = freePort();
      int controllerPort = freePort();
      if (!Files.exists(folder.resolve("meta.properties"))) {
        format();
      }
      Properties all = plain(clientPort, innerPort, controllerPort);
      if (!users.isEmpty()) {
        secure(all);
      }
      all.putAll(settings);
      KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(all), Time.SYSTEM);
      server.startup();
      return new KafkaBroker(server, clientPort, innerPort);
    }

    private void format() throws Exception {
      try (PrintStream nowhere =
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
        new Formatter()
            .setPrintStream(nowhere)
            .setNodeId(1)
            .setClusterId(Uuid.randomUuid().toString())
            .setControllerListenerName("CONTROLLER")
            .setMetadataLogDirectory(folder.toString())
            .setDirectories(List.of(folder.toString()))
            .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
            .run();
      }
    }

    private Properties plain(int clientPort, int innerPort, int controllerPort) {
      Properties plain = new Properties();
      plain.put("process.roles", "broker,controller");
      plain.put("node.id", "1");
      plain.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
      plain.put("controller.listener.names", "CONTROLLER");
      plain.put("inter.broker.listener.name", "INNER");
      plain.put(
          "listener.security.protocol.map",
          "CLIENT:" + protocol + ",INNER:PLAINTEXT,CONTROLLER:PLAINTEXT");
      String forClients = "CLIENT://127.0.0.1:" + clientPort + ",INNER://127.0.0.1:" + innerPort;
      plain.put("listeners", forClients + ",CONTROLLER://127.0.0.1:" + controllerPort);
      plain.put("advertised.listeners", forClients);
      plain.put("log.dirs", folder.toString());
      plain.put("offsets.topic.replication.factor", "1");
      plain.put("transaction.state.log.replication.factor", "1");
      plain.put("transaction.state.log.min.isr", "1");
      plain.put("transaction.state.log.num.partitions", "1");
      plain.put("group.initial.rebalance.delay.ms", "0");
      return plain;
    }

    /**
     * Configures security. Clients of the internal ports, which are not published, are anonymous
     * and have all permissions.
     */
    private void secure(Properties all) {
      all.put(
          "listener.security.protocol.map",
          "CLIENT:SASL_" + protocol + ",INNER:PLAINTEXT,CONTROLLER:PLAINTEXT");
      all.put("listener.name.client.sasl.enabled.mechanisms", "PLAIN");
      StringBuilder jaas =
          new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
      users.forEach(
          (name, password) ->
              jaas.append(" user_").append(name).append("=\"").append(password).append('"'));
      all.put("listener.name.client.plain.sasl.jaas.config", jaas.append(';').toString());
      all.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
      all.put("super.users", "User:ANONYMOUS");
    }
  }

  /**
   * A loopback port that is free, for a server whose port must be known before it starts or be the
   * same when it starts again. It is below the range of ephemeral ports: of those, a connection of
   * any program may take one in between. Processes begin at different ports, so that two seldom
   * find the same one.
   *
   * @throws IOException if none of those tried is free
   */
  public static int freePort() throws IOException {
    long begin = PORTS_PER_PROCESS * ProcessHandle.current().pid();
    for (int i = 0; i < MAX_TRIED_PORTS; i++) {
      int port = FIRST_PORT + (int) ((begin + triedPorts.getAndIncrement()) % PORT_COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IOException(
        "no free loopback port between " + FIRST_PORT + " and " + (FIRST_PORT + PORT_COUNT));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** The value of {@code bootstrap.servers} for clients. */
  public String address() {
    return address;
  }

  /** The port for clients. */
  public int port() {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  /** Creates a topic, and returns when the broker has it. */
  public void createTopic(String topic, int partitions, Map<String, String> settings)
      throws InterruptedException {
    NewTopic created = new NewTopic(topic, partitions, (short) 1).configs(settings);
    administer(
        admin -> {
          admin.createTopics(List.of(created)).all().get();
          awaitTopic(admin, topic);
        });
  }

  /** The controller has created it; the broker itself learns about it a moment later. */
  private static void awaitTopic(Admin admin, String topic)
      throws InterruptedException, ExecutionException {
    for (int tries = 1; !admin.listTopics().names().get().contains(topic); tries++) {
      if (tries == MAX_LISTS) {
        throw new IllegalStateException("the broker does not list its new topic " + topic);
      }
    }
  }

  /** Deletes a topic with its content. */
  public void deleteTopic(String topic) throws InterruptedException {
    administer(admin -> admin.deleteTopics(List.of(topic)).all().get());
  }

  /** Adds partitions to a topic. */
  public void growTopic(String topic, int partitions) throws InterruptedException {
    administer(
        admin ->
            admin
                .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
                .all()
                .get());
  }

  /** Grants a user operations on a topic. */
  public void allow(String user, String topic, Collection<AclOperation> operations)
      throws InterruptedException {
    allow(user, ResourceType.TOPIC, topic, operations);
  }

  /** Grants a user operations on a resource of any type. */
  public void allow(
      String user, ResourceType type, String name, Collection<AclOperation> operations)
      throws InterruptedException {
    ResourcePattern pattern = new ResourcePattern(type, name, PatternType.LITERAL);
    List<AclBinding> bindings =
        operations.stream()
            .map(
                operation ->
                    new AclBinding(
                        pattern,
                        new AccessControlEntry(
                            "User:" + user, "*", operation, AclPermissionType.ALLOW)))
            .toList();
    administer(admin -> admin.createAcls(bindings).all().get());
  }

  /** A task for Kafka's administration client. */
  public interface Task {
    /** Runs the task. */
    void with(Admin admin) throws InterruptedException, ExecutionException;
  }

  /** Runs a task with all permissions. */
  public void administer(Task task) throws InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", innerAddress))) {
      task.with(admin);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
