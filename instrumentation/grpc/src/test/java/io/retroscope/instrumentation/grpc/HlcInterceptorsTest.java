package io.retroscope.instrumentation.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with a real gRPC server on a loopback port, whose clock is five seconds slow. */
class HlcInterceptorsTest {
  private static final MethodDescriptor<byte[], byte[]> ECHO =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("test.Echo/echo")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private final MemorySink clientSink = new MemorySink();
  private final MemorySink serverSink = new MemorySink();
  private final Recorder client = Recorder.builder().node("client").sink(clientSink).build();
  private final Recorder server =
      Recorder.builder()
          .node("server")
          .physicalClock(PhysicalClock.system().skewedBy(-5_000_000))
          .sink(serverSink)
          .build();
  private Server grpcServer;
  private ManagedChannel connection;

  @BeforeEach
  void start() throws IOException {
    start(new HlcServerInterceptor(server));
  }

  private void start(HlcServerInterceptor interceptor) throws IOException {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("test.Echo")
            .addMethod(
                ECHO,
                ServerCalls.asyncUnaryCall(
                    (request, answer) -> {
                      server.log("echo").set("seen", request.length);
                      answer.onNext(request);
                      answer.onCompleted();
                    }))
            .build();
    grpcServer =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(ServerInterceptors.intercept(service, interceptor))
            .build()
            .start();
    connection =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), grpcServer.getPort()))
            .usePlaintext()
            .build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    connection.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    grpcServer.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    client.close();
    server.close();
  }

  @Test
  void call_serverBehind_everyEffectIsAboveItsCause() {
    Channel traced = ClientInterceptors.intercept(connection, new HlcClientInterceptor(client));
    long before = client.tick();

    byte[] answer = ClientCalls.blockingUnaryCall(traced, ECHO, CallOptions.DEFAULT, new byte[3]);

    long after = client.tick();
    assertThat(answer).hasSize(3);
    Event write = only(serverSink, server, EventBody.StateChange.class);
    assertThat(write.hlc()).isStrictlyBetween(before, after);
    Event sent = only(clientSink, client, EventBody.Send.class);
    Event received = only(serverSink, server, EventBody.Receive.class);
    assertThat(((EventBody.Receive) received.body()).id())
        .isEqualTo(((EventBody.Send) sent.body()).id());
    assertThat(received.hlc()).isGreaterThan(sent.hlc()).isLessThan(write.hlc());
    assertThat(all(clientSink, client, EventBody.Receive.class)).isNotEmpty();
  }

  @Test
  void call_atTheEdge_doesNotMoveTheServersClock() throws Exception {
    grpcServer.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    connection.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    start(new HlcServerInterceptor(server, false));
    Channel traced = ClientInterceptors.intercept(connection, new HlcClientInterceptor(client));
    long before = client.tick();

    ClientCalls.blockingUnaryCall(traced, ECHO, CallOptions.DEFAULT, new byte[3]);

    assertThat(only(serverSink, server, EventBody.StateChange.class).hlc()).isLessThan(before);
    assertThat(all(serverSink, server, EventBody.Receive.class)).isEmpty();
    assertThat(server.statistics().untrusted()).isEqualTo(1);
    assertThat(all(clientSink, client, EventBody.Receive.class)).isNotEmpty();
  }

  @Test
  void call_clientWithoutInterceptor_stillWorks() {
    byte[] answer =
        ClientCalls.blockingUnaryCall(connection, ECHO, CallOptions.DEFAULT, new byte[1]);

    assertThat(answer).hasSize(1);
    assertThat(all(serverSink, server, EventBody.Receive.class)).isEmpty();
  }

  @Test
  void call_unreadableHeader_isIgnored() {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("x-hlc", Metadata.ASCII_STRING_MARSHALLER), "yesterday");
    Channel lying =
        ClientInterceptors.intercept(
            connection, MetadataUtils.newAttachHeadersInterceptor(headers));

    assertThat(ClientCalls.blockingUnaryCall(lying, ECHO, CallOptions.DEFAULT, new byte[1]))
        .hasSize(1);
    assertThat(all(serverSink, server, EventBody.Receive.class)).isEmpty();
  }

  private static Event only(MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    List<Event> events = all(sink, recorder, kind);
    assertThat(events).hasSize(1);
    return events.get(0);
  }

  private static List<Event> all(
      MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream().filter(event -> kind.isInstance(event.body())).toList();
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
