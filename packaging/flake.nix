# nix run 'github:robotsaudit/robotsaudit?dir=packaging' -- --help
{
  description = "Audits web archives against robots.txt";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }: {
    packages = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ] (system: {
      default = nixpkgs.legacyPackages.${system}.buildGoModule {
        pname = "robotsaudit";
        version = self.shortRev or "dirty";
        src = ./..;
        vendorHash = "sha256:0ss7pj7c1fkvs9g0wzi8jqf306rybpzlgh1618carf85r15am0gv"; # of what 'go mod vendor' makes: scripts/check/run packagers
        subPackages = [ "cmd/robotsaudit" ];
        env.CGO_ENABLED = 0;
        ldflags = [ "-s" "-w" ];
        meta = {
          homepage = "https://github.com/robotsaudit/robotsaudit";
          license = nixpkgs.lib.licenses.asl20;
          mainProgram = "robotsaudit";
        };
      };
    });
  };
}
