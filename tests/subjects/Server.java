import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/** A small web server: four threads share a table under a lock and hand what they did to a fifth. */
public final class Server {
    private static final Map<String, Long> visits = new HashMap<>();
    private static final ReentrantLock visitsLock = new ReentrantLock();
    private static final LinkedBlockingQueue<String> journal = new LinkedBlockingQueue<>(1000);
    private static final ArrayDeque<String> latest = new ArrayDeque<>();

    private static void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        long visit;
        visitsLock.lock();
        try {
            visit = visits.merge(path, 1L, Long::sum);
        } finally {
            visitsLock.unlock();
        }
        journal.offer(path);
        String recent;
        synchronized (latest) {
            recent = String.join(" ", latest);
        }
        byte[] body = (path + " was asked for, as was " + recent + ", visit " + visit % 10 + "\n")
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static void keepJournal() {
        try {
            while (true) {
                String path = journal.take();
                synchronized (latest) {
                    latest.addLast(path);
                    if (latest.size() > 5)
                        latest.removeFirst();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(loopback, Integer.parseInt(args[0])), 64);
        server.createContext("/", Server::answer);
        server.setExecutor(Executors.newFixedThreadPool(4));
        Thread keeper = new Thread(Server::keepJournal, "journal");
        keeper.setDaemon(true);
        keeper.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("stopped")));
        server.start();
        System.out.println("started");
    }
}
